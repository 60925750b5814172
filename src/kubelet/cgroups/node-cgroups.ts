/** Upstream: pkg/kubelet/cm/{qos_container_manager,pod_container_manager,node_container_manager}_linux.go. */
import { kill } from "node:process";
import type { Container, Pod } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { podQOSClass } from "#/machinery/pods/qos.ts";
import type { ResourceList } from "#/machinery/values/resource-list.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { logger } from "#/std/log/log.ts";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { LinuxContainerResources } from "../cri/sandbox-messages.ts";
import type { PodCgroups, SandboxResources } from "../state/pod-services.ts";
import type { CgroupFilesystem } from "./cgroup-filesystem.ts";
import {
  burstableShares,
  type CgroupLimits,
  nodeCgroupLimits,
  podCgroupLimits,
} from "./cgroup-limits.ts";
import {
  type CgroupDriver,
  type CgroupName,
  cgroupParent,
  cgroupPath,
  parseCgroupPath,
  podCgroupName,
  podUIDOf,
} from "./cgroup-name.ts";
import { minShares } from "./cpu-shares.ts";
import type { ExclusiveCpus } from "./exclusive-cpus.ts";
import {
  containerLinuxResources,
  type ResourceSettings,
  sandboxLinuxResources,
} from "./linux-resources.ts";
import { ensureSlice, stopSlice } from "./systemd-slices.ts";

interface NodeCgroupsOptions {
  readonly filesystem: CgroupFilesystem;
  readonly driver: CgroupDriver;
  /** `cgroupRoot`: pods' cgroups are below its `kubepods`. */
  readonly root: string;
  /** `cgroupsPerQOS`: without it the kubelet creates no cgroups. */
  readonly perQOS: boolean;
  readonly settings: ResourceSettings;
  readonly podPidsLimit: number;
  /** Amounts that all pods may use together; undefined if that is not enforced. */
  readonly allocatable: () => ResourceList;
  readonly clock: Clock;
  /** Set where containers can have exclusive processors. */
  readonly cpus?: ExclusiveCpus | undefined;
  readonly run?: RunProgram;
}

const log = logger("cgroups");
/** Tries to remove a cgroup, and the delay between them: killed processes need some time to end. */
const removeTries = 5;
const removeWaitMs = 100;

/** The cgroups of the node's pods. */
export class NodeCgroups implements PodCgroups {
  readonly #options: NodeCgroupsOptions;
  readonly #node: CgroupName;
  readonly #pods = new Map<string, { pod: Pod; limits: CgroupLimits }>();
  #burstableShares = minShares;

  constructor(options: NodeCgroupsOptions) {
    this.#options = options;
    this.#node = [...parseCgroupPath(options.root), "kubepods"];
  }

  async start(): Promise<void> {
    const { filesystem, root, perQOS } = this.#options;
    if (!perQOS) return;
    if (
      root !== "/" &&
      root !== "" &&
      !(await filesystem.exists(this.#path(parseCgroupPath(root))))
    ) {
      throw new Error(
        `invalid configuration: cgroup-root ${goQuote(root)} doesn't exist: cgroup does not exist`,
      );
    }
    await this.#make(this.#node, nodeCgroupLimits(this.#options.allocatable()));
    await this.#make([...this.#node, "burstable"], { cpuShares: this.#burstableShares });
    await this.#make([...this.#node, "besteffort"], { cpuShares: minShares });
  }

  async ensure(pod: Pod): Promise<void> {
    if (!this.#options.perQOS) return;
    const uid = pod.metadata.uid ?? "";
    const { settings, podPidsLimit, filesystem } = this.#options;
    const limits = podCgroupLimits(pod, settings, podPidsLimit);
    const name = podCgroupName(this.#node, pod);
    const held = this.#pods.get(uid);
    const unchanged = held !== undefined && deepEqual([...flat(held.limits)], [...flat(limits)]);
    if (unchanged && (await filesystem.exists(this.#path(name)))) return;
    await this.#make(name, limits);
    this.#pods.set(uid, { pod, limits });
    if (podQOSClass(pod) === "Burstable") await this.#updateBurstable();
  }

  parent(pod: Pod): string {
    if (!this.#options.perQOS) return this.#options.root === "/" ? "" : this.#options.root;
    return cgroupParent(podCgroupName(this.#node, pod), this.#options.driver);
  }

  async remove(podUID: string): Promise<void> {
    this.#pods.delete(podUID);
    this.#options.cpus?.release(podUID);
    if (!this.#options.perQOS) return;
    for (const path of await this.#podPaths()) {
      if (podUIDOf(path) === podUID) await this.#empty(path);
    }
    await this.#updateBurstable();
  }

  async pods(): Promise<readonly string[]> {
    if (!this.#options.perQOS) return [];
    return (await this.#podPaths()).flatMap((path) => podUIDOf(path) ?? []);
  }

  containerResources(pod: Pod, container: Container): LinuxContainerResources {
    const { settings, cpus } = this.#options;
    const resources = containerLinuxResources(pod, container, settings);
    if (cpus === undefined) return resources;
    const { cpus: cpusetCpus, exclusive } = cpus.cpusFor(pod, container);
    return { ...resources, cpusetCpus, ...(exclusive && { cpuQuota: -1 }) };
  }

  sandboxResources(pod: Pod): SandboxResources {
    return sandboxLinuxResources(pod, this.#options.settings);
  }

  /** Paths of the statistics of all pods of the node, and of one pod. */
  path(pod?: Pod): string {
    return this.#path(pod === undefined ? this.#node : podCgroupName(this.#node, pod));
  }

  #path(name: CgroupName): string {
    return cgroupPath(name, this.#options.driver);
  }

  async #make(name: CgroupName, limits: CgroupLimits): Promise<void> {
    const { filesystem, driver, run = runProgram } = this.#options;
    const path = this.#path(name);
    if (driver === "systemd") await ensureSlice(run, cgroupParent(name, driver), limits);
    else await filesystem.create(path);
    await filesystem.limit(path, limits);
  }

  async #updateBurstable(): Promise<void> {
    const shares = burstableShares([...this.#pods.values()].map(({ pod }) => pod));
    if (shares === this.#burstableShares) return;
    this.#burstableShares = shares;
    await this.#make([...this.#node, "burstable"], { cpuShares: shares });
  }

  /** Paths of all cgroups of pods, below the node's and the classes'. */
  async #podPaths(): Promise<string[]> {
    const { filesystem } = this.#options;
    const parents = [this.#node, [...this.#node, "burstable"], [...this.#node, "besteffort"]];
    const paths: string[] = [];
    for (const parent of parents.map((name) => this.#path(name))) {
      const names = await filesystem.children(parent);
      paths.push(...names.filter(podUIDOf).map((name) => `${parent}/${name}`));
    }
    return paths;
  }

  async #empty(path: string): Promise<void> {
    const { filesystem, driver, clock, run = runProgram } = this.#options;
    for (let attempt = 1; ; attempt++) {
      for (const pid of await filesystem.processes(path)) killIfThere(pid);
      try {
        await filesystem.remove(path);
        break;
      } catch (error) {
        if (attempt >= removeTries) throw error;
        log.v(4, "waiting for processes of the pod to end", { path });
        await clock.sleep(removeWaitMs * attempt);
      }
    }
    if (driver === "systemd") await stopSlice(run, path.slice(path.lastIndexOf("/") + 1));
  }
}

function killIfThere(pid: number): void {
  try {
    kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}

function* flat({ hugePages, ...rest }: CgroupLimits): Generator<unknown> {
  yield rest;
  yield [...(hugePages ?? [])];
}
