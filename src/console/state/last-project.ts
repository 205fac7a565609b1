/** The project that was open last in this browser: "/" leads there. */

const key = "signalbox.last-project";

export function rememberProject(projectId: string): void {
  try {
    localStorage.setItem(key, projectId);
  } catch {
    // Without storage "/" leads to the list of projects.
  }
}

export function lastProject(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
