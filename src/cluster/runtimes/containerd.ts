import type { ClusterPaths } from "../base/paths.ts";
import { containerdConfig, plainContainerdConfig } from "./containerd-config.ts";
import { containerdWarning } from "./containerd-version.ts";
import { containerdMirrors } from "./registry-mirrors.ts";
import {
  type ImageStore,
  type RunRuntimeProgram,
  type Runtime,
  type RuntimeContext,
  type RuntimeFile,
  type RuntimeProgram,
  registriesFolder,
} from "./runtime.ts";
import { wholeName } from "./whole-name.ts";

/** The configuration file of a cluster's own containerd. */
const containerdFile = (paths: ClusterPaths): string => `${paths.config}/containerd.toml`;

export const containerdNeeds: Runtime["needs"] = [
  { program: "containerd", debianPackage: "containerd" },
  { program: "ctr", debianPackage: "containerd" },
  { program: "runc", debianPackage: "runc" },
];

export const containerdProgram: RuntimeProgram = {
  name: "containerd",
  command: (paths) => ["containerd", "--config", containerdFile(paths)],
  files: (paths) => [containerdFile(paths)],
  socket: (paths) => paths.containerdSocket,
  unit: "Type=notify\nDelegate=yes\nKillMode=process\nLimitCORE=infinity\n",
};

/** containerd, of the machine or of a folder: versions 1 and 2. */
export const containerd: Runtime = {
  name: "containerd",
  criName: "containerd",
  needs: containerdNeeds,
  programs: [containerdProgram],
  monitors: ["containerd-shim"],
  folders: (paths) => [paths.cni, registriesFolder(paths)],
  files: async (context) => [
    {
      path: containerdFile(context.paths),
      text: containerdConfig({ ...context, major: await majorVersion(context) }),
    },
    ...containerdMirrors(context.paths, context.mirrors),
  ],
  mirrorProblem: ({ origin }) =>
    new URL(origin).hostname.startsWith("[")
      ? "has an address of IPv6, which containerd 1 can't read; give it a name"
      : undefined,
  ownImages: (paths, run) => storeAt(paths.containerdSocket, run),
  imagesAt: async (socket, run) => storeAt(socket, run),
  risk: async (run) => containerdWarning(await run("containerd", ["--version"])),
};

/** The file of a containerd that runs the containers of another program. */
export async function plainContainerdFile(context: RuntimeContext): Promise<RuntimeFile> {
  const { paths } = context;
  return {
    path: containerdFile(paths),
    text: plainContainerdConfig(await majorVersion(context), paths),
  };
}

async function majorVersion({ output }: RuntimeContext): Promise<number> {
  const version = await output("containerd", ["--version"]);
  return Number(/\bv?(\d+)\.\d+\.\d+/.exec(version)?.[1] ?? 1);
}

function storeAt(socket: string, run: RunRuntimeProgram): ImageStore {
  const images = (...args: string[]) =>
    run("ctr", ["-a", socket, "-n", "k8s.io", "images", ...args]);
  const names = async () => (await images("ls", "-q")).split("\n").filter((name) => name !== "");
  return {
    has: async (name) => (await names()).includes(name),
    async load(archive) {
      const lines = (await images("import", archive)).trim().split("\n");
      // CRI finds images by whole names; containerd imports the names as the archive has them.
      for (const name of await names()) {
        if (wholeName(name) !== name) await images("tag", "--force", name, wholeName(name));
      }
      return lines;
    },
    async untag(asked) {
      for (const name of await names()) if (wholeName(name) === asked) await images("rm", name);
    },
  };
}
