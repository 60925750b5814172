import { existsSync } from "node:fs";
import { CommandFailure, command, pathsOf } from "./command.ts";
import { importImages } from "./containerd.ts";
import { getSettings } from "./settings.ts";
import { clusterFlags } from "./up-flags.ts";

/** `k8ts image load FILE.tar…`: gives the node images that no registry has. */
export const main = command({
  name: "image",
  description: `Loads images from files, OCI or Docker archives, into the node.`,
  arguments: ["load", "FILE..."],
  examples: [["Load an image", "image load web.tar"]],
  flags: clusterFlags,
  async run({ values, args }) {
    const [verb, ...files] = args;
    if (verb !== "load" || files.length === 0) {
      throw new CommandFailure("say what to load: k8ts image load FILE.tar");
    }
    const paths = pathsOf(values);
    const { runtimeEndpoint } = getSettings(paths);
    const socket = runtimeEndpoint?.replace(/^unix:\/\//, "") ?? paths.containerdSocket;
    for (const file of files) {
      if (!existsSync(file)) throw new CommandFailure(`there is no file ${file}`);
      process.stdout.write(await importImages(socket, file));
    }
    return 0;
  },
});
