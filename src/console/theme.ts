import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

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

export const theme = createTheme({
  colors: { accent },
  primaryColor: "accent",
  primaryShade: { light: 7, dark: 3 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  fontFamily: "var(--sans)",
  fontFamilyMonospace: "var(--mono)",
  headings: { fontFamily: "var(--sans)", fontWeight: "650" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
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
};

export const themeVariables: CSSVariablesResolver = () => ({ variables: {}, light: fromTokens, dark: fromTokens });
