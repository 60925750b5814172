import { stripTypeScriptTypes } from "node:module";

const ownLine = /^[ \t]*\/\/.*$/gm;
const ownBlock = /^[ \t]*\/\*(?:[^*]|\*(?!\/))*\*\/[ \t]*$/gm;

/** A module without the comments on lines of their own. The formatter puts none of ours inside a template. */
export const withoutComments = (source: string): string =>
  source.replace(ownBlock, "").replace(ownLine, "");

/** A module of ours as a browser runs it: without types, and without the comments and blanks that no program reads. */
export function stripModule(source: string): string {
  return withoutComments(stripTypeScriptTypes(source, { mode: "strip" }))
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{2,}/g, "\n");
}
