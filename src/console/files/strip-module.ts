import { stripTypeScriptTypes } from "node:module";
import { withoutComments } from "#/std/process/source-pack.ts";

/** A module of ours as a browser runs it: without types, and without the comments and blanks that no program reads. */
export const stripModule = (source: string): string =>
  withoutComments(stripTypeScriptTypes(source, { mode: "strip" })).replace(/\n{2,}/g, "\n");
