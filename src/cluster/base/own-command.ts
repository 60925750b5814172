import { accessSync, constants } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { type Call, commandAs } from "./command-as.ts";
import { nameOption } from "./paths.ts";

/**
 * A command line of k8ts for a message, which can be pasted unchanged: k8ts may not be in PATH, or may need sudo. It has the
 * cluster's flag, if one is given.
 */
export const ownCommand = (words: string, cluster?: string): string =>
  commandAs(thisCall(), words + (cluster === undefined ? "" : nameOption(cluster)));

function thisCall(): Call {
  const launcher = process.env["K8TS_COMMAND"] || "k8ts";
  return {
    launcher,
    inPath: findInPath(basename(launcher)),
    ofSudo: process.env["SUDO_COMMAND"] ?? "",
  };
}

function findInPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
