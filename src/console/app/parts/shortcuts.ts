import { onKeys } from "../base/keys.ts";
import { openPage } from "../base/navigation.ts";
import { formatRoute } from "../model/route.ts";
import { isHelpOpen, isPaletteOpen } from "./palette-state.ts";

/** Keys of every page. */
export function followShortcuts(signal: AbortSignal): void {
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.value;
    },
    { signal },
  );
  onKeys(
    {
      ":": () => {
        isPaletteOpen.value = true;
      },
      "?": () => {
        isHelpOpen.value = true;
      },
      "1": () => openPage(formatRoute(["now"])),
      "2": () => openPage(formatRoute(["map"])),
      "3": () => openPage(formatRoute(["learn"])),
      "4": () => openPage(formatRoute(["terminal"])),
    },
    signal,
  );
}
