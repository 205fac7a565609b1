import { type Series, seriesColor } from "./series.ts";

/** A chart as a picture. */

const scale = 2;
const edge = 24;
const lineHeight = 22;
const namespace = "http://www.w3.org/2000/svg";

/** What of an element's look the styles of the page decide. A picture has no such styles. */
const looks = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "opacity",
  "font-size",
  "font-family",
  "font-weight",
  "text-anchor",
] as const;

export async function chartImage(chart: HTMLElement, title: string, series: readonly Series[]): Promise<Blob> {
  const drawn = await surfaceOf(chart);
  const { width, height } = drawn.getBoundingClientRect();
  const whole = document.createElementNS(namespace, "svg");
  const legend = series.length > 1 ? series : [];
  const size = { width: width + 2 * edge, height: height + 2 * edge + lineHeight * (1.5 + legend.length) };
  setAll(whole, { xmlns: namespace, ...size });
  whole.append(rect({ ...size, fill: colorOf("--paper") }));
  whole.append(text(title, { x: edge, y: edge + 12, "font-size": 16, "font-weight": 600, fill: colorOf("--ink") }));
  const copy = withLooks(drawn);
  setAll(copy, { x: edge, y: edge + lineHeight * 1.5, width, height });
  whole.append(copy);
  for (const [index, { label }] of legend.entries()) {
    const y = edge + lineHeight * (2 + index) + height;
    whole.append(rect({ x: edge, y: y - 10, width: 12, height: 12, rx: 2, fill: colorOf(seriesColor(index)) }));
    whole.append(text(label, { x: edge + 20, y, "font-size": 13, fill: colorOf("--soft") }));
  }
  return toPng(whole, size);
}

const drawnWithinMilliseconds = 10_000;

/** The drawing inside of an element. Its library may still be loading. */
async function surfaceOf(chart: HTMLElement): Promise<SVGSVGElement> {
  const until = performance.now() + drawnWithinMilliseconds;
  while (performance.now() < until) {
    const drawn = chart.querySelector<SVGSVGElement>("svg.recharts-surface");
    if (drawn) return drawn;
    await new Promise(requestAnimationFrame);
  }
  throw new Error("The chart is not drawn.");
}

async function toPng(svg: SVGElement, { width, height }: { width: number; height: number }): Promise<Blob> {
  const source = new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
  const address = URL.createObjectURL(source);
  try {
    const image = new Image(width, height);
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture cannot be made."))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** A copy whose look is in its attributes alone: the policy of the page allows no styles inside of it. */
function withLooks(drawn: SVGSVGElement): SVGSVGElement {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const [from, to] = [drawn, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  for (const [index, element] of (from ?? []).entries()) {
    const target = to?.[index];
    if (!target) continue;
    const style = getComputedStyle(element);
    for (const name of looks) target.setAttribute(name, style.getPropertyValue(name));
    target.removeAttribute("style");
    target.removeAttribute("class");
  }
  return copy;
}

const fonts = "ui-sans-serif, system-ui, sans-serif";

function text(content: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(namespace, "text");
  setAll(element, { "font-family": fonts, ...attributes });
  element.textContent = content;
  return element;
}

function rect(attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(namespace, "rect");
  setAll(element, attributes);
  return element;
}

const setAll = (element: Element, attributes: Record<string, string | number>): void => {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
};

/** The colour that a token stands for at the moment. */
function colorOf(token: string): string {
  const probe = document.createElement("span");
  probe.style.color = token.startsWith("var(") ? token : `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
