import type { FlowSchema, PriorityLevelConfiguration } from "#/api/flowcontrol/v1.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { UserInfo } from "../model/exchange.ts";
import type { RequestInfo } from "../model/request-info.ts";
import {
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
} from "../resources/flowcontrol/mandatory-objects.ts";
import { matchesSchema } from "./match-schema.ts";
import { PriorityLevel } from "./priority-level.ts";
import { SeatLending } from "./seat-lending.ts";

/** The classification of a request: its schema, and the level with its seats. */
export interface Classification {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel;
  /** Response headers with the UIDs of schema and level. */
  readonly headers: Readonly<Record<string, string>>;
}

interface FairnessOptions {
  readonly clock: Clock;
  /** Seats of the whole server. */
  readonly totalSeats: number;
  readonly waitMs: number;
}

/**
 * The current flow schemas and priority levels. The mandatory ones apply even before they are stored.
 * Upstream: staging/src/k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go.
 */
export class Fairness {
  readonly #options: FairnessOptions;
  readonly #lending = new SeatLending();
  readonly #levels = new Map<string, PriorityLevel>();
  #schemas: readonly Classification[] = [];

  constructor(options: FairnessOptions) {
    this.#options = options;
    this.configure([], []);
  }

  /** Applies these objects. */
  configure(
    schemas: readonly FlowSchema[],
    configurations: readonly PriorityLevelConfiguration[],
  ): void {
    const wanted = new Map<string, PriorityLevelConfiguration>();
    for (const level of [...mandatoryPriorityLevels(), ...configurations]) {
      wanted.set(level.metadata.name ?? "", level);
    }
    this.#setLevels(wanted);
    const all = new Map<string, FlowSchema>();
    for (const schema of [...mandatoryFlowSchemas(), ...schemas]) {
      all.set(schema.metadata.name ?? "", schema);
    }
    this.#schemas = [...all.values()].sort(byPrecedence).flatMap((schema) => {
      const level = this.#levels.get(schema.spec.priorityLevelConfiguration.name);
      return level ? [{ schema, level, headers: headersOf(schema, level) }] : [];
    });
  }

  /** The first schema that matches the request; the last one matches all. */
  classify(user: UserInfo, info: RequestInfo): Classification {
    for (const candidate of this.#schemas) {
      if (matchesSchema(candidate.schema, user, info)) return candidate;
    }
    const last = this.#schemas.find(({ schema }) => schema.metadata.name === "catch-all");
    if (!last) throw new Error("the catch-all schema is always there");
    return last;
  }

  get levels(): Iterable<PriorityLevel> {
    return this.#levels.values();
  }

  #setLevels(wanted: ReadonlyMap<string, PriorityLevelConfiguration>): void {
    for (const name of this.#levels.keys()) if (!wanted.has(name)) this.#levels.delete(name);
    for (const [name, config] of wanted) {
      const level = this.#levels.get(name);
      if (level) level.configure(config);
      else {
        const options = { ...this.#options, pool: this.#lending };
        this.#levels.set(name, new PriorityLevel(config, options));
      }
    }
    const levels = [...this.#levels.values()];
    const sum = levels.reduce((total, { config }) => total + sharesOf(config), 0);
    for (const level of levels) {
      const share = sharesOf(level.config) / Math.max(1, sum);
      level.nominalSeats = Math.ceil(this.#options.totalSeats * share);
    }
    this.#lending.setLevels(levels);
    for (const level of levels) level.dispatch();
  }
}

const headersOf = ({ metadata }: FlowSchema, { config }: PriorityLevel) => ({
  "x-kubernetes-pf-flowschema-uid": metadata.uid ?? "",
  "x-kubernetes-pf-prioritylevel-uid": config.metadata.uid ?? "",
});

function sharesOf({ spec }: PriorityLevelConfiguration): number {
  const part = spec.type === "Exempt" ? spec.exempt : spec.limited;
  return part?.nominalConcurrencyShares ?? (spec.type === "Exempt" ? 0 : 30);
}

function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  const difference = a.spec.matchingPrecedence - b.spec.matchingPrecedence;
  if (difference !== 0) return difference;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
