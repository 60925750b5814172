import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

/** Names of what the browser keeps: choices of looks, never data or credentials. */
const keys = { theme: "k8ts-theme", language: "k8ts-language", namespace: "k8ts-namespace" };

export const theme = signal<Theme>((read(keys.theme) as Theme | undefined) ?? "system");
/** The chosen language; undefined to follow the browser. */
export const chosenLanguage = signal<string | undefined>(read(keys.language));
/** The namespace of lists; undefined for all. */
export const namespace = signal<string | undefined>(read(keys.namespace));

/** Keeps the choices from now on. */
export function keepPreferences(): void {
  effect(() => {
    const { value } = theme;
    write(keys.theme, value === "system" ? undefined : value);
    if (value === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = value;
  });
  effect(() => write(keys.language, chosenLanguage.value));
  effect(() => write(keys.namespace, namespace.value));
}

function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined; // The user has turned storage off.
  }
}

function write(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    return; // As above: the choice lasts as long as the page.
  }
}
