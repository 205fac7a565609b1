import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

/** Mantine in the product's look. Colours come from the tokens that all pages share. */

const accent: MantineColorsTuple = [
  "#e1efec",
  "#c6e0db",
  "#a0cdc5",
  "#75b7ad",
  "#4c9f94",
  "#2b877c",
  "#17736a",
  "#0e625b",
  "#0a4a45",
  "#063733",
];

const dark: MantineColorsTuple = [
  "#e3e7ea",
  "#c3cad0",
  "#a4aeb6",
  "#7b868e",
  "#2f383e",
  "#262e33",
  "#1f262a",
  "#1b2125",
  "#161b1e",
  "#121618",
];

/** Each colour of Mantine as a pair of tokens: the strong one for filled buttons and text, the wash for light backgrounds. */
const pairs: Record<string, [strong: string, wash: string]> = {
  accent: ["var(--accent)", "var(--accent-wash)"],
  red: ["var(--bad)", "var(--bad-wash)"],
  yellow: ["var(--warn)", "var(--warn-wash)"],
  green: ["var(--good)", "var(--good-wash)"],
  gray: ["var(--soft)", "var(--ground)"],
};

const variantColorResolver: VariantColorsResolver = (input) => {
  const pair = pairs[input.color ?? "accent"];
  if (!pair) return defaultVariantColorsResolver(input);
  const [strong, wash] = pair;
  const border = "1px solid transparent";
  if (input.variant === "filled") {
    return { background: strong, hover: `color-mix(in srgb, ${strong} 86%, black)`, color: "var(--on-accent)", border };
  }
  if (input.variant === "light") return { background: wash, hover: wash, color: strong, border };
  if (input.variant === "subtle") return { background: "transparent", hover: wash, color: strong, border };
  if (input.variant === "outline") {
    return { background: "transparent", hover: wash, color: strong, border: `1px solid ${strong}` };
  }
  return defaultVariantColorsResolver(input);
};

export const theme = createTheme({
  colors: { accent, dark },
  variantColorResolver,
  primaryColor: "accent",
  primaryShade: { light: 7, dark: 3 },
  fontFamily: "var(--sans)",
  fontFamilyMonospace: "var(--mono)",
  headings: { fontFamily: "var(--sans)", fontWeight: "650" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Badge: { defaultProps: { tt: "none", variant: "light", fw: 600 } },
    // A page with six of them would otherwise make hundreds of options that nobody has asked for.
    Combobox: { defaultProps: { keepMounted: false } },
  },
});

/** The same names in both schemes: the tokens themselves change with the scheme. */
const fromTokens = {
  "--mantine-color-body": "var(--paper)",
  "--mantine-color-text": "var(--ink)",
  "--mantine-color-dimmed": "var(--soft)",
  "--mantine-color-default": "var(--paper)",
  "--mantine-color-default-hover": "var(--ground)",
  "--mantine-color-default-color": "var(--ink)",
  "--mantine-color-default-border": "var(--line)",
  "--mantine-color-placeholder": "var(--soft)",
  "--mantine-color-anchor": "var(--accent)",
  "--mantine-color-error": "var(--bad)",
  "--mantine-color-disabled": "var(--ground)",
  "--mantine-color-disabled-color": "var(--soft)",
  "--mantine-color-disabled-border": "var(--line)",
};

export const themeVariables: CSSVariablesResolver = () => ({ variables: {}, light: fromTokens, dark: fromTokens });
