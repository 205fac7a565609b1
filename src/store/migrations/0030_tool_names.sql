-- The name of a published tool for machines, given once: it stays with the tool when its title changes, and is never given again.
create table tool_names (
  project_id text not null references projects (id),
  name text not null,
  tool_id text not null references tools (id),
  primary key (project_id, name)
) /* sqlite: without rowid */;

create unique index tool_names_tool on tool_names (tool_id);
