import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { runProgram } from "#/std/run-program.ts";
import { type ClusterPaths, defaultClusterName } from "./paths.ts";
import { launcher } from "./programs.ts";
import type { ClusterSettings } from "./settings.ts";

/** What starts a cluster with the machine, where systemd does. */
export interface BootUnit {
  readonly name: string;
  readonly text: string;
}

/** Where systemd looks for units of this machine, and what there is only where it runs. */
const unitFolder = "/etc/systemd/system";
const systemdFolder = "/run/systemd/system";

/** The unit of a cluster: `k8ts up` when the machine starts, `k8ts down` when it stops. */
export function bootUnitOf(paths: ClusterPaths, { name }: ClusterSettings): BootUnit {
  const cluster = `--name=${name} --data-dir=${paths.folder}`;
  return {
    name: name === defaultClusterName ? "k8ts.service" : `k8ts-${name}.service`,
    text: `[Unit]
Description=Kubernetes (k8ts), cluster ${name}
After=network-online.target
Wants=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
KillMode=process
TimeoutStartSec=300
ExecStart=${launcher} up ${cluster} --no-install
ExecStop=${launcher} down ${cluster} --keep-enabled

[Install]
WantedBy=multi-user.target
`,
  };
}

/** Has systemd start the cluster with the machine; false where there is no systemd. */
export async function ensureBootUnit(unit: BootUnit): Promise<boolean> {
  if (!existsSync(systemdFolder)) return false;
  await writeFile(`${unitFolder}/${unit.name}`, unit.text);
  await systemctl("daemon-reload");
  await systemctl("enable", unit.name);
  return true;
}

/** A cluster that was stopped stays so. */
export async function removeBootUnit(unit: BootUnit): Promise<void> {
  const file = `${unitFolder}/${unit.name}`;
  if (!existsSync(systemdFolder) || !existsSync(file)) return;
  await systemctl("disable", unit.name);
  await rm(file);
  await systemctl("daemon-reload");
}

const systemctl = (...args: string[]): Promise<string> => runProgram("systemctl", args);
