const folder = "src/console/app/node";
const absent = `${folder}/absent.ts`;
const small = `${folder}/small-modules.ts`;

/**
 * Modules that kubectl imports and a page has in another form, by specifier: those of Node, and the three of ours that
 * reach the API server. The import map of the page leads to them, so that kubectl itself is the same everywhere.
 */
export const pageModules: Readonly<Record<string, string>> = {
  "node:async_hooks": absent,
  "node:buffer": `${folder}/buffer.ts`,
  "node:child_process": absent,
  "node:crypto": `${folder}/crypto.ts`,
  "node:fs": `${folder}/fs.ts`,
  "node:fs/promises": `${folder}/fs-promises.ts`,
  "node:http": absent,
  "node:https": absent,
  "node:inspector/promises": absent,
  "node:module": small,
  "node:net": absent,
  "node:os": small,
  "node:path": `${folder}/path.ts`,
  "node:readline/promises": absent,
  "node:stream": absent,
  "node:stream/promises": absent,
  "node:tls": absent,
  "node:tty": absent,
  "node:util": small,
  "node:zlib": absent,
  "#/client/kubeconfig/connection-options.ts": "src/console/app/kubectl/connection-options.ts",
  "#/client/streaming/remote-command.ts": "src/console/app/kubectl/remote-command.ts",
  "#/client/transport/quick-transport.ts": "src/console/app/kubectl/page-transport.ts",
};
