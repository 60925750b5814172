import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { join } from "node:path";
import type { CloudCase } from "./cloud-case.ts";
import type { Program } from "./run-case.ts";
import { clusterId, region, vpc } from "./seed.ts";

/** Services by the names that upstream compares, with those in signatures. */
const services = [
  ["EC2", "ec2"],
  ["Elastic Load Balancing", "elasticloadbalancing"],
  ["Elastic Load Balancing v2", "elasticloadbalancing"],
] as const;

/** The cloud configuration of a case: all services are behind one address. */
export function cloudConfig(endpoint: string, global: Readonly<Record<string, string>>): string {
  const keys = {
    Zone: `${region}a`,
    VPC: vpc,
    SubnetID: "subnet-a",
    KubernetesClusterID: clusterId,
    ...global,
  };
  const overrides = services.map(
    ([service, signingName], index) => `[ServiceOverride "${index + 1}"]
Service = ${service}
Region = ${region}
URL = ${endpoint}
SigningRegion = ${region}
SigningName = ${signingName}`,
  );
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${value}`);
  return ["[Global]", ...lines, ...overrides, ""].join("\n");
}

/** The command-line flags of a case; both programs have them. */
export function flagsOf({
  controllers = ["service-lb-controller"],
  flags = [],
}: Pick<CloudCase, "controllers" | "flags">): string[] {
  const hasRoutes = controllers.includes("node-route-controller");
  const routes = hasRoutes ? ["--cluster-cidr=10.244.0.0/16"] : ["--configure-cloud-routes=false"];
  return [`--controllers=${controllers.join(",")}`, ...routes, ...flags];
}

export interface ProgramFiles {
  readonly kubeconfig: string;
  readonly cloudConfig: string;
  readonly log: string;
}

/** A cloud controller manager as a process of its own. */
export class ProcessProgram implements Program {
  readonly #command: readonly string[];
  readonly #files: ProgramFiles;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;

  constructor(command: readonly string[], files: ProgramFiles, flags: readonly string[]) {
    this.#command = command;
    this.#files = files;
    this.#flags = flags;
  }

  async start(): Promise<void> {
    const [file = "", ...args] = this.#command;
    const log = openSync(this.#files.log, "a");
    const flags = [
      "--cloud-provider=aws",
      `--cloud-config=${this.#files.cloudConfig}`,
      `--kubeconfig=${this.#files.kubeconfig}`,
      "--leader-elect=false",
      "--secure-port=0",
      ...this.#flags,
    ];
    const child = spawn(file, [...args, ...flags], {
      stdio: ["ignore", log, log],
      env: {
        ...process.env,
        AWS_ACCESS_KEY_ID: "test",
        AWS_SECRET_ACCESS_KEY: "test",
        AWS_EC2_METADATA_DISABLED: "true",
      },
    });
    this.#child = child;
    await once(child, "spawn");
  }

  /** Ends it at once, as a crash would. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }
}

/** The command of our program. */
export function ourCommand(): string[] {
  const main = join(import.meta.dirname, "../../bin/cloud-controller-manager.ts");
  return [process.execPath, "--disable-warning=ExperimentalWarning", main];
}

/** A kubeconfig for a server that takes every request. */
export function kubeconfigOf(url: string): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: url } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  };
}
