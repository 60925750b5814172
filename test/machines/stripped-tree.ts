import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const left = new Set(["node_modules", ".git"]);

/** A copy of the tree without types, under the same names: for an emulated machine whose Node.js cannot strip them. */
export function strippedTree(root: string): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "k8ts-stripped-"));
  cpSync(root, path, { recursive: true, filter: (file) => !left.has(basename(file)) });
  for (const name of globSync("{bin,src,test,tools,bench}/**/*.ts", { cwd: path })) {
    const file = join(path, name);
    writeFileSync(file, stripTypeScriptTypes(readFileSync(file, "utf8")));
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}
