/** Upstream: pkg/kubelet/cm/cpumanager/policy_static.go. */
import type { Container, Pod } from "#/api/core/v1.ts";
import { podQOSClass } from "#/machinery/pods/qos.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { Listeners } from "../state/listeners.ts";
import type { Admission, PodAdmitter } from "../state/pod-services.ts";
import { formatCpuSet, parseCpuSet } from "./cpu-set.ts";
import { loadCpuState, saveCpuState } from "./cpu-state.ts";
import { type CpuPlace, takeCpus } from "./cpu-topology.ts";

interface ExclusiveCpusOptions {
  readonly topology: readonly CpuPlace[];
  /** Processors that are never exclusive: `reservedSystemCPUs`, or as many as are reserved. */
  readonly reserved: ReadonlySet<number>;
  /** The file cpu_manager_state. */
  readonly stateFile: string;
}

/**
 * Assigns exclusive processors to containers of guaranteed pods with whole CPU requests (`cpuManagerPolicy: static`).
 */
export class ExclusiveCpus implements PodAdmitter {
  readonly #options: ExclusiveCpusOptions;
  /** By pod and container. */
  readonly #given = new Map<string, Map<string, ReadonlySet<number>>>();
  readonly #changes = new Listeners();

  constructor(options: ExclusiveCpusOptions) {
    this.#options = options;
    this.#load();
  }

  /** Assigns a pod's processors, or refuses the pod. */
  admit(pod: Pod): Admission {
    for (const container of pod.spec.containers) {
      const count = exclusiveCpuCount(pod, container);
      if (count === 0 || this.#find(pod, container)) continue;
      const cpus = takeCpus(this.#options.topology, this.#free(), count);
      if (cpus === undefined) {
        this.release(pod.metadata.uid ?? "");
        const message = `Allocate failed due to not enough cpus available to satisfy request: requested=${count}, available=${this.#free().size}, which is unexpected`;
        return { admitted: false, reason: "UnexpectedAdmissionError", message };
      }
      this.#give(pod, container, new Set(cpus));
    }
    return { admitted: true };
  }

  /** The processors of a container, and whether they are exclusive. */
  cpusFor(pod: Pod, container: Container): { cpus: string; exclusive: boolean } {
    const own = this.#find(pod, container);
    if (own) return { cpus: formatCpuSet(own), exclusive: true };
    return { cpus: this.shared(), exclusive: false };
  }

  /** Processors for all containers without exclusive ones. */
  shared(): string {
    return formatCpuSet(this.#sharedSet());
  }

  /** The listener is called whenever the shared processors have changed. */
  subscribe(listener: () => void): Disposable {
    return this.#changes.add(listener);
  }

  release(podUID: string): void {
    if (!this.#given.delete(podUID)) return;
    this.#save();
    this.#changes.notify();
  }

  /** Releases the processors of all other pods: of those that ended while no kubelet ran, for example. */
  keepOnly(podUIDs: ReadonlySet<string>): void {
    for (const uid of [...this.#given.keys()]) if (!podUIDs.has(uid)) this.release(uid);
  }

  #find(pod: Pod, { name }: Container): ReadonlySet<number> | undefined {
    return this.#given.get(pod.metadata.uid ?? "")?.get(name);
  }

  #give(pod: Pod, { name }: Container, cpus: ReadonlySet<number>): void {
    const uid = pod.metadata.uid ?? "";
    const containers = this.#given.get(uid) ?? new Map<string, ReadonlySet<number>>();
    this.#given.set(uid, containers.set(name, cpus));
    this.#save();
    this.#changes.notify();
  }

  #sharedSet(): Set<number> {
    const given = new Set(
      [...this.#given.values()].flatMap((one) => [...one.values()]).flatMap((one) => [...one]),
    );
    return new Set(this.#options.topology.map(({ cpu }) => cpu).filter((cpu) => !given.has(cpu)));
  }

  #free(): Set<number> {
    return new Set([...this.#sharedSet()].filter((cpu) => !this.#options.reserved.has(cpu)));
  }

  #load(): void {
    const { stateFile, topology, reserved } = this.#options;
    const assigned = loadCpuState(stateFile, { topology, reserved });
    for (const [uid, containers] of assigned) this.#given.set(uid, containers);
  }

  #save(): void {
    const { stateFile } = this.#options;
    const entries = Object.fromEntries(
      Array.from(this.#given, ([uid, containers]) => [
        uid,
        Object.fromEntries(Array.from(containers, ([name, cpus]) => [name, formatCpuSet(cpus)])),
      ]),
    );
    saveCpuState(stateFile, this.shared(), entries);
  }
}

/** The number of exclusive processors of a container: its CPU request, if that is a whole number. */
function exclusiveCpuCount(pod: Pod, { resources }: Container): number {
  if (podQOSClass(pod) !== "Guaranteed") return 0;
  const request = parseQuantity(resources?.requests?.["cpu"] ?? resources?.limits?.["cpu"] ?? "0");
  return request.milliValue() % 1000 === 0 ? request.value() : 0;
}

/** The processors that are always shared: the configured ones, or the first ones, as many as are reserved. */
export function reservedCpus(
  topology: readonly CpuPlace[],
  named: string,
  reservedMilli: number,
): Set<number> {
  if (named !== "") return parseCpuSet(named);
  const all = new Set(topology.map(({ cpu }) => cpu));
  const count = Math.ceil(reservedMilli / 1000);
  if (count === 0) {
    throw new Error(
      "[cpumanager] the static policy requires a reserved CPU amount that is greater than zero",
    );
  }
  const taken = takeCpus(topology, all, count);
  if (taken === undefined) {
    throw new Error("[cpumanager] unable to reserve the required amount of CPUs");
  }
  return new Set(taken);
}
