import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { runProgram } from "#/std/process/run-program.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, localServer, publicServer } from "../base/settings.ts";
import { editKubeconfig } from "./edit-kubeconfig.ts";
import { type Caller, type UserFile, userFile } from "./user-file.ts";
import { hasCluster, withCluster, withoutCluster } from "./user-kubeconfig.ts";

/** The kubeconfig of the user of this command. */
export async function findUserFile(flag: string): Promise<UserFile> {
  const caller = await findCaller(process.env["SUDO_USER"] || process.env["DOAS_USER"] || "");
  return userFile({
    flag,
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    caller,
    exists: existsSync,
  });
}

/** Parses the user's line of passwd: NAME:x:UID:GID:…:HOME:SHELL. */
async function findCaller(name: string): Promise<Caller | undefined> {
  if (name === "" || name === "root") return undefined;
  const line = await runProgram("getent", ["passwd", name]).catch(() => "");
  const [, , uid = "", gid = "", , home = ""] = line.trim().split(":");
  return home === "" ? undefined : { uid: Number(uid), gid: Number(gid), home };
}

/** Adds the cluster, its administrator's certificate and a context of both to the user's kubeconfig. */
export async function writeUserAccess(
  paths: ClusterPaths,
  settings: ClusterSettings,
  { path, owner }: UserFile,
): Promise<void> {
  const entry = await entryOf(paths, settings);
  await editKubeconfig(path, (config) => withCluster(config, entry), owner);
}

/** Replaces a renewed certificate in kubeconfigs; one from which the user has removed the cluster is not changed. */
export async function renewUserAccess(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  const entry = await entryOf(paths, settings);
  for (const path of settings.kubeconfigs) {
    if (!existsSync(path)) continue;
    await editKubeconfig(path, (config) => {
      if (!hasCluster(config, entry.name)) return config;
      return { ...withCluster(config, entry), "current-context": config["current-context"] };
    });
  }
}

/** Removes the cluster from all kubeconfigs that it was added to. */
export async function removeUserAccess({ name, kubeconfigs }: ClusterSettings): Promise<void> {
  for (const path of kubeconfigs) {
    if (existsSync(path)) await editKubeconfig(path, (config) => withoutCluster(config, name));
  }
}

async function entryOf(paths: ClusterPaths, settings: ClusterSettings) {
  const data = async (file: string): Promise<string> =>
    (await readFile(join(paths.pki, file))).toString("base64");
  return {
    name: settings.name,
    cluster: {
      "certificate-authority-data": await data("ca.crt"),
      server: settings.virtualAddress ? publicServer(settings) : localServer(settings),
    },
    user: {
      "client-certificate-data": await data("admin.crt"),
      "client-key-data": await data("admin.key"),
    },
  };
}
