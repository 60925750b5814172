/**
 * The packages that pages import, by specifier, and the module of each in node_modules. They are ES modules as
 * published; the import map of the page leads to them.
 */
export const vendorModules: Readonly<Record<string, string>> = {
  preact: "preact/dist/preact.mjs",
  "preact/hooks": "preact/hooks/dist/hooks.mjs",
  "@preact/signals": "@preact/signals/dist/signals.mjs",
  "@preact/signals-core": "@preact/signals-core/dist/signals-core.mjs",
  yaml: "yaml/browser/index.js",
};
