import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import type { Kubeconfig } from "./kubeconfig.ts";

/** The text of a kubeconfig, with keys in alphabetical order as upstream writes them. */
export function formatKubeconfig(config: Kubeconfig): string {
  return writeYaml(config);
}
