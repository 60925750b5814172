/** Keys of a page: the key as the browser names it, and what it does. */
type KeyMap = Readonly<Record<string, () => void>>;

const typedInto = "input, textarea, select, [contenteditable], .cm-editor, .xterm, dialog";

/** Calls what a key does, unless the user is typing text. */
export function onKeys(keys: KeyMap, signal: AbortSignal): void {
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if ((event.target as Element).closest(typedInto)) return;
      const run = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
      if (!run) return;
      event.preventDefault();
      run();
    },
    { signal },
  );
}
