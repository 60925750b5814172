// Preloaded by Node.js in the root: sources have no types there, and Node is not to look for them.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

registerHooks({
  load(url, context, next) {
    if (!url.startsWith("file:") || !url.endsWith(".ts")) return next(url, context);
    return { source: readFileSync(fileURLToPath(url)), format: "module", shortCircuit: true };
  },
});
