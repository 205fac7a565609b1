/** The colours that a person has chosen in the console hold here as well. Runs before anything is painted. */
try {
  const chosen = localStorage.getItem("mantine-color-scheme-value");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.mantineColorScheme = chosen;
} catch {
  // A browser that keeps nothing for us follows the system.
}
