import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";
import { crioConfig, crioPlace } from "./crio-config.ts";
import { namedImages } from "./docker-archive.ts";
import { crioMirrors } from "./registry-mirrors.ts";
import { requestOverSocket } from "./request-over-socket.ts";
import { isRestricted, restrictedRuntime } from "./restricted-runtime.ts";
import {
  type ImageStore,
  type RunRuntimeProgram,
  type Runtime,
  type RuntimeContext,
  type RuntimeFile,
  registriesFolder,
} from "./runtime.ts";

/** The user's file of registries; it has defaults until the user changes it. */
const registriesFile = (paths: ClusterPaths): string =>
  `${registriesFolder(paths)}/registries.conf`;

/** The file with the mirrors of --registry-mirror, which come before the user's of the same registry. */
const mirrorsFile = (paths: ClusterPaths): string =>
  `${crioPlace(paths).registriesFolder}/mirrors.conf`;

const advice =
  "Debian has no package of it: install CRI-O from its project's packages, or put its programs into a folder and name that with --runtime-dir";

/** CRI-O, whose containers conmon holds. */
export const crio: Runtime = {
  name: "crio",
  criName: "cri-o",
  needs: [
    { program: "crio", advice },
    { program: "pinns", advice, check: false },
    { program: "conmon", debianPackage: "conmon" },
    { program: "runc", debianPackage: "runc" },
    { program: "skopeo", debianPackage: "skopeo" },
  ],
  programs: [
    {
      name: "crio",
      command(paths) {
        const { configFile, configFolder, registriesFolder: more } = crioPlace(paths);
        return [
          "crio",
          `--config=${configFile}`,
          `--config-dir=${configFolder}`,
          `--registries-conf=${registriesFile(paths)}`,
          `--registries-conf-dir=${more}`,
        ];
      },
      files: (paths) => [crioPlace(paths).configFile, registriesFile(paths), mirrorsFile(paths)],
      socket: (paths) => crioPlace(paths).socket,
      unit: "Type=notify\nDelegate=yes\nKillMode=process\nLimitCORE=infinity\n",
      transient: (paths) => [crioPlace(paths).run],
    },
  ],
  monitors: ["conmon"],
  folders(paths) {
    const { data, run, configFolder } = crioPlace(paths);
    return [paths.cni, registriesFolder(paths), data, run, configFolder];
  },
  files: crioFiles,
  ownImages: (paths, run) => storeAt(crioPlace(paths), run),
  async imagesAt(socket, run) {
    const { body } = await requestOverSocket(socket, { path: "/info" });
    const { storage_root: root } = JSON.parse(body) as { readonly storage_root: string };
    return storeAt({ root, runRoot: "/run/containers/storage" }, run);
  },
};

async function crioFiles(context: RuntimeContext): Promise<readonly RuntimeFile[]> {
  const { paths, programPath } = context;
  const place = crioPlace(paths);
  const [conmon, pinns, runc] = ["conmon", "pinns", "runc"].map(programPath) as [
    string,
    string,
    string,
  ];
  const registries = registriesFile(paths);
  return [
    {
      path: place.configFile,
      text: crioConfig({
        ...context,
        conmon,
        pinns,
        runc: isRestricted(context) ? place.runtime : runc,
      }),
    },
    { path: place.runtime, text: restrictedRuntime(runc, context), mode: 0o755 },
    { path: place.policy, text: `{"default":[{"type":"insecureAcceptAnything"}]}\n` },
    { path: registries, text: await ownText(registries, defaultRegistries) },
    crioMirrors(mirrorsFile(paths), context.mirrors),
  ];
}

/** Names without a registry are Docker's, as with the other runtimes. */
const defaultRegistries = 'unqualified-search-registries = ["docker.io"]\n';

/** The text of the user's file, or what it has before the user changes it. */
async function ownText(file: string, initial: string): Promise<string> {
  return existsSync(file) ? await readFile(file, "utf8") : initial;
}

interface Storage {
  readonly root: string;
  readonly runRoot: string;
}

/** CRI-O has no call to load an image: skopeo writes it into the store, which both lock. */
function storeAt({ root, runRoot }: Storage, run: RunRuntimeProgram): ImageStore {
  const target = (name: string) => `containers-storage:[overlay@${root}+${runRoot}]${name}`;
  return {
    async has(name) {
      const file = join(root, "overlay-images/images.json");
      const stored = JSON.parse(await readFile(file, "utf8").catch(() => "[]")) as StoredImage[];
      return stored.some(({ names = [] }) => names.includes(name));
    },
    async load(archive) {
      const lines: string[] = [];
      for (const name of await namedImages(archive)) {
        const from = `docker-archive:${archive}:${name}`;
        await run("skopeo", ["--insecure-policy", "copy", "--quiet", from, target(name)]);
        lines.push(`loaded ${name}`);
      }
      return lines;
    },
  };
}

interface StoredImage {
  readonly names?: readonly string[];
}
