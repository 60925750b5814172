import { signal } from "@preact/signals";

const narrow = matchMedia("(max-width: 720px)");

/** Whether the window is as narrow as a phone's. */
export const isNarrow = signal(narrow.matches);

export function followScreen(): void {
  narrow.addEventListener("change", ({ matches }) => {
    isNarrow.value = matches;
  });
}
