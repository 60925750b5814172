import { readFile } from "node:fs/promises";
import type { ClusterPaths } from "../base/paths.ts";
import { cniPluginFolders } from "../machine/packages.ts";
import { containerdNeeds, containerdProgram, plainContainerdFile } from "./containerd.ts";
import { namedImages } from "./docker-archive.ts";
import { dockerConfig, dockerPlace, registryOptions } from "./docker-config.ts";
import { pauseImageName } from "./pause-image.ts";
import type { Mirror } from "./registry-mirrors.ts";
import { requestOverSocket } from "./request-over-socket.ts";
import { isRestricted, restrictedRuntime } from "./restricted-runtime.ts";
import {
  type ImageStore,
  type Runtime,
  type RuntimeContext,
  type RuntimeFile,
  type RuntimeProgram,
  registriesFolder,
  runtimePlace,
} from "./runtime.ts";

/** The file with the user's settings of registries, as in Docker's own daemon.json. */
const registriesFile = (paths: ClusterPaths): string => `${registriesFolder(paths)}/docker.json`;

const dockerd: RuntimeProgram = {
  name: "dockerd",
  command: (paths) => ["dockerd", "--config-file", dockerPlace(paths).configFile],
  files: (paths) => [dockerPlace(paths).configFile],
  socket: (paths) => dockerPlace(paths).socket,
  unit: "Type=notify\nDelegate=yes\nKillMode=process\n",
  transient: (paths) => [dockerPlace(paths).run],
};

const criDockerd: RuntimeProgram = {
  name: "cri-dockerd",
  command(paths) {
    const place = runtimePlace(paths, "cri-dockerd");
    return [
      "cri-dockerd",
      `--container-runtime-endpoint=unix://${place.run}/cri-dockerd.sock`,
      `--docker-endpoint=unix://${dockerPlace(paths).socket}`,
      `--cri-dockerd-root-directory=${place.data}`,
      "--network-plugin=cni",
      `--cni-conf-dir=${paths.cni}`,
      `--cni-bin-dir=${cniPluginFolders.join(",")}`,
      // Where the pod network learns which addresses a Pod was given.
      "--cni-cache-dir=/var/lib/cni",
      `--pod-infra-container-image=${pauseImageName}`,
      "--streaming-bind-addr=127.0.0.1:0",
    ];
  },
  files: () => [],
  socket: (paths) => `${runtimePlace(paths, "cri-dockerd").run}/cri-dockerd.sock`,
  unit: "Type=exec\nDelegate=yes\nKillMode=process\n",
};

const advice =
  "Debian has no package of it: install it from its project (Mirantis/cri-dockerd), or put it into a folder and name that with --runtime-dir";

/** Docker Engine, or Mirantis Container Runtime, behind cri-dockerd. Its containers run in a containerd of the cluster. */
export const docker: Runtime = {
  name: "docker",
  criName: "docker",
  needs: [
    ...containerdNeeds,
    { program: "dockerd", debianPackage: "docker.io" },
    { program: "cri-dockerd", advice },
    // cri-dockerd forwards ports with it.
    { program: "socat", debianPackage: "socat", check: ["-V"] },
  ],
  programs: [containerdProgram, dockerd, criDockerd],
  monitors: ["containerd-shim"],
  folders(paths) {
    const [own, adapter] = [dockerPlace(paths), runtimePlace(paths, "cri-dockerd")];
    return [paths.cni, registriesFolder(paths), own.data, own.run, adapter.data, adapter.run];
  },
  files: dockerFiles,
  mirrorProblem: (mirror) =>
    isDockers(mirror) ? undefined : "can't be used: Docker asks mirrors of docker.io only",
  ownImages: (paths) => storeAt(dockerPlace(paths).socket),
  imagesAt: async () => storeAt(userSocket()),
};

const isDockers = ({ registry }: Mirror): boolean => registry === "docker.io";

/** The socket of the machine's own Docker. */
function userSocket(): string {
  const host = process.env["DOCKER_HOST"] ?? "";
  return host.startsWith("unix://") ? host.slice("unix://".length) : "/run/docker.sock";
}

async function dockerFiles(context: RuntimeContext): Promise<readonly RuntimeFile[]> {
  const { paths, systemdCgroup, programPath, mirrors } = context;
  const place = dockerPlace(paths);
  const given = await readFile(registriesFile(paths), "utf8").catch(() => "{}");
  const registries = registryOptions(given, registriesFile(paths), mirrors.filter(isDockers));
  return [
    await plainContainerdFile(context),
    {
      path: place.configFile,
      text: dockerConfig({ paths, systemdCgroup, isRestricted: isRestricted(context), registries }),
    },
    { path: place.runtime, text: restrictedRuntime(programPath("runc"), context), mode: 0o755 },
  ];
}

function storeAt(socket: string): ImageStore {
  return {
    async has(name) {
      const path = `/images/${name}/json`;
      const { status, body } = await requestOverSocket(socket, { path });
      if (status === 200 || status === 404) return status === 200;
      throw new Error(`Docker answered with ${status}: ${body}`);
    },
    async load(archive) {
      const names = await namedImages(archive);
      const request = { path: "/images/load?quiet=1", method: "POST", file: archive } as const;
      const { status, body } = await requestOverSocket(socket, request);
      // A failure in the middle is reported in the body.
      const failure = status === 200 ? /"error":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] : body;
      if (failure !== undefined) throw new Error(`Docker could not load it: ${failure.trim()}`);
      return names.map((name) => `loaded ${name}`);
    },
    async untag(name) {
      const request = { path: `/images/${name}`, method: "DELETE" } as const;
      const { status, body } = await requestOverSocket(socket, request);
      if (status !== 200) throw new Error(`Docker answered with ${status}: ${body}`);
    },
  };
}
