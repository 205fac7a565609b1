-- Large texts on SQLite, in parts. The row that refers to one is stored after it, and has "@" and its id in place of the text.
create table large_texts (
  id text not null,
  part integer not null,
  text text not null,
  primary key (id, part)
);

-- Those to which no row refers: not yet, or no longer. They are deleted after some time.
create table unowned_texts (
  id text primary key,
  since text not null
) /* sqlite: without rowid */;

create index unowned_texts_age on unowned_texts (since);
