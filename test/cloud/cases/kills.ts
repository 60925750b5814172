import type { CloudCase, Port, Step } from "../cloud-case.ts";

const web: Port = { port: 80, nodePort: 30_080, name: "http", protocol: "TCP" };
const tls: Port = { port: 443, nodePort: 30_443, name: "https", protocol: "TCP" };

/** A sequence of changes, in which the program is killed after each of them in turn. */
interface Sequence {
  readonly name: string;
  readonly global?: Readonly<Record<string, string>>;
  readonly before?: Step;
  readonly step: Step;
  /** How many changes the step makes. */
  readonly changes: number;
  /** The number of the change after which a kill leaves something. */
  readonly leaves?: number;
}

const classic = {};
const network = { type: "nlb" };
const managed = { NLBSecurityGroupMode: "Managed" };

const create = (lb: Readonly<Record<string, string>>, ...ports: readonly Port[]): Step => ({
  create: { lb, ports },
  until: "ensured",
});
const setPorts = (...list: readonly Port[]): Step => ({
  patch: { spec: { ports: list } },
  until: "ensured",
});
const remove: Step = { remove: "web", until: "deleted" };

const sequences: readonly Sequence[] = [
  { name: "clb: creation", step: create(classic, web), changes: 7 },
  { name: "nlb: creation", step: create(network, web), changes: 7 },
  {
    name: "nlb: Managed, creation",
    global: managed,
    step: create(network, web),
    changes: 9,
  },
  {
    name: "clb: port added and removed",
    before: create(classic, web),
    step: setPorts(tls),
    changes: 5,
  },
  {
    name: "nlb: port added and removed",
    before: create(network, web),
    step: setPorts(tls),
    changes: 7,
    leaves: 4,
  },
  { name: "clb: deletion", before: create(classic, web), step: remove, changes: 3 },
  { name: "nlb: deletion", before: create(network, web), step: remove, changes: 4 },
];

/**
 * The program is killed after each of its changes of AWS, by number, and started again. One place leaves something, as
 * upstream does: the target group of a listener that has just been deleted, whose name cannot be known any more.
 */
export const killCases: readonly CloudCase[] = sequences.flatMap((sequence): CloudCase[] => {
  const { name, global = {}, before, step, changes } = sequence;
  const common = { global, isOwn: true };
  const first = before ? [before] : [];
  const whole: CloudCase = { ...common, name: `${name}, not killed`, steps: [...first, step] };
  const killed = Array.from({ length: changes }, (_, index): CloudCase => {
    const killAfter = { call: "change", nth: index + 1 };
    const isComplete = index + 1 !== sequence.leaves;
    return {
      ...common,
      name: `${name}, killed after change ${index + 1}`,
      steps: [...first, { ...step, killAfter }],
      ...(isComplete ? { endsAs: whole.name } : {}),
    };
  });
  return [...killed, whole];
});
