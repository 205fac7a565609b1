// Runs before anything is drawn: the colours that the person chose, where Mantine keeps them.
try {
  const chosen = localStorage.getItem("mantine-color-scheme-value");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.mantineColorScheme = chosen;
} catch {
  // Without storage the page follows the system.
}
