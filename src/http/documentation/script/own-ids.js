/** A signed-in reader sees ids of their own in the samples, in place of `<project_id>`. The key is never shown. */

export async function fillOwnIds() {
  if (document.documentElement.dataset.signedIn === undefined) return;
  const blanks = [...document.querySelectorAll(".blank")];
  const isWanted = (name) => blanks.some((blank) => blank.dataset.id === name);
  if (blanks.length === 0) return;
  try {
    const me = await call("auth/info", {});
    const project = me?.projects[0]?.project_id;
    if (project === undefined) return;
    fill(blanks, "organization_id", () => me.organization_id);
    fill(blanks, "user_id", () => me.user_id);
    fill(blanks, "project_id", () => project);
    if (isWanted("connection_id")) {
      const { results } = (await call("connections/list", {}, project)) ?? { results: [] };
      const usable = results.filter(({ state }) => state === "connected");
      fill(blanks, "connection_id", (system) => usable.find((each) => each.system === system)?.connection_id);
    }
    for (const [name, operation] of Object.entries(newest)) {
      if (!isWanted(name)) continue;
      const page = await call(operation, { limit: 1 }, project);
      fill(blanks, name, () => page?.results[0]?.[name]);
    }
  } catch {
    // Without the ids the samples keep their placeholders.
  }
}

const newest = {
  run_id: "runs/list",
  tool_id: "tools/list",
  agent_id: "agents/list",
  schedule_id: "schedules/list",
  event_id: "events/list",
};

function fill(blanks, name, idFor) {
  for (const blank of blanks) {
    if (blank.dataset.id !== name) continue;
    const value = idFor(blank.dataset.system);
    if (!value) continue;
    blank.textContent = value;
    blank.classList.add("own");
    blank.title = `Your own ${name}`;
  }
}

async function call(operation, body, project) {
  const site = document.body.dataset.site;
  const response = await fetch(`${site}/../${operation}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(project === undefined ? {} : { "x-signalbox-project": project }),
    },
    body: JSON.stringify(body),
  });
  return response.ok ? response.json() : null;
}
