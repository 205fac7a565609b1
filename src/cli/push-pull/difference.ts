/** The lines that differ, with some lines around them: `-` is before, `+` after. */
export function differenceOf(before: string, after: string): string[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const marked = [...walk(a, b)];
  const near = marked.map((_, index) => marked.slice(Math.max(0, index - around), index + around + 1).some(isChange));
  return marked.filter((_, index) => near[index]);
}

const around = 2;
const isChange = (line: string): boolean => !line.startsWith(" ");
const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** The longest common lines stay; the table has a cell for each pair of lines, which is small for a file of a person. */
function* walk(a: readonly string[], b: readonly string[]): Generator<string> {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const length = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      (lengths[i] as Uint32Array)[j] = length;
    }
  }
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      yield ` ${a[i]}`;
      i++;
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) yield `-${a[i++]}`;
    else yield `+${b[j++]}`;
  }
}
