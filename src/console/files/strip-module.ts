import { stripTypeScriptTypes } from "node:module";

const ownLine = /^[ \t]*\/\/.*$/gm;
const ownBlock = /^[ \t]*\/\*(?:[^*]|\*(?!\/))*\*\/[ \t]*$/gm;

/**
 * A module of ours as a browser runs it: without types, and without the comments and blanks that no program reads. Only
 * comments on lines of their own are removed; the formatter puts none of ours inside a template.
 */
export function stripModule(source: string): string {
  return stripTypeScriptTypes(source, { mode: "strip" })
    .replace(ownBlock, "")
    .replace(ownLine, "")
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{2,}/g, "\n");
}
