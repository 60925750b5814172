import { createHash } from "node:crypto";

interface PageOptions {
  /** Folder of the files, relative to the page. */
  readonly folder: string;
  readonly entry: string;
  /** Modules that the entry needs. */
  readonly modules: readonly string[];
  readonly styles: readonly string[];
  readonly icon: string;
  /** Modules of packages by specifier, below "npm/". */
  readonly packages: Readonly<Record<string, string>>;
  /** Modules in place of others, by specifier. */
  readonly replaced: Readonly<Record<string, string>>;
}

/** The page, and the hash by which its policy permits the import map. */
interface ConsolePage {
  readonly html: string;
  readonly importMapHash: string;
}

/**
 * The only page. It has a frame at once, before any script runs. The import map must be inside the page, as browsers load
 * none from elsewhere: the policy names its hash.
 */
export function consolePage(options: PageOptions): ConsolePage {
  const { folder, entry, modules, styles, icon, packages, replaced } = options;
  const imports = {
    "#/": `./${folder}/src/`,
    ...mapped(packages, `./${folder}/npm/`),
    ...mapped(replaced, `./${folder}/`),
  };
  const importMap = JSON.stringify({ imports });
  const links = [
    `<link rel="icon" type="image/svg+xml" href="./${folder}/${icon}">`,
    ...styles.map((path) => `<link rel="stylesheet" href="./${folder}/${path}">`),
  ];
  const preloads = modules.map((path) => `<link rel="modulepreload" href="./${folder}/${path}">`);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>k8ts</title>
${links.join("\n")}
<script type="importmap">${importMap}</script>
${preloads.join("\n")}
<script type="module" src="./${folder}/${entry}"></script>
</head>
<body>
<div id="app"><div class="boot" aria-hidden="true"><div class="boot-mark"></div></div></div>
<noscript>This page needs JavaScript.</noscript>
</body>
</html>
`;
  return { html, importMapHash: createHash("sha256").update(importMap).digest("base64") };
}

const mapped = (modules: Readonly<Record<string, string>>, base: string): Record<string, string> =>
  Object.fromEntries(Object.entries(modules).map(([name, path]) => [name, base + path]));
