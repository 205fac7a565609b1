/** The `fields` parameter: only these parts of the answer, as in `rows(metricValues),rowCount` or `metadata/timeZone`. */
interface Selection {
  [name: string]: Selection | null;
}

export function selectFields(body: unknown, fields: string): unknown {
  return pick(body, parse(fields));
}

function pick(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((each) => pick(each, selection));
  if (typeof value !== "object" || value === null) return value;
  const everything = selection["*"];
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => {
      const below = Object.hasOwn(selection, name) ? selection[name] : everything;
      if (below === undefined) return [];
      return [[name, below === null ? part : pick(part, below)]];
    }),
  );
}

function parse(text: string): Selection {
  let at = 0;
  function list(): Selection {
    const selection: Selection = Object.create(null);
    do {
      const name = /[^,/()]*/.exec(text.slice(at))?.[0] ?? "";
      at += name.length;
      selection[name.trim()] = below();
    } while (text[at] === "," && ++at);
    return selection;
  }
  function below(): Selection | null {
    const mark = text[at];
    if (mark === "(") {
      at++;
      const inner = list();
      if (text[at] === ")") at++;
      return inner;
    }
    if (mark !== "/") return null;
    at++;
    const name = /[^,/()]*/.exec(text.slice(at))?.[0] ?? "";
    at += name.length;
    return { [name]: below() };
  }
  return list();
}
