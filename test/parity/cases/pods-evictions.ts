import type { Case, Step } from "../case.ts";
import { pod, podsPath } from "./pod-bodies.ts";
import { long, one, setStatus } from "./pods-life-steps.ts";
import { create, merge, read } from "./steps.ts";

const evict = (rest: object = {}, metadata: object = {}): Step =>
  create(`${one}/eviction`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: "p", ...metadata },
    ...rest,
  });

const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";

const budget = (name: string, spec: object = {}): Step =>
  create(budgets, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } }, ...spec },
  });

const budgetStatus = (change: object): Step =>
  merge(`${budgets}/b/status`, {
    status: {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
      ...change,
    },
  });

const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };

export const evictions: Case[] = [
  {
    name: "eviction without a budget",
    steps: [
      create(podsPath, pod({ nodeName: "n" }, { labels: { app: "a" } })),
      evict({}, { name: "q" }),
      evict({ deleteOptions: { dryRun: ["All"] } }),
      evict({ apiVersion: "policy/v1beta1" }),
      read(one),
      evict(),
    ],
  },
  {
    name: "eviction of another pod of that name",
    steps: [
      create(podsPath, pod({ nodeName: "n" })),
      evict({ deleteOptions: { preconditions: { uid: "c1f0a1b2-0000-4000-8000-000000000000" } } }),
    ],
  },
  {
    name: "eviction with a budget",
    steps: [
      create(podsPath, pod({ nodeName: "n" }, { labels: { app: "a" } })),
      setStatus(ready),
      budget("b"),
      evict(),
      budgetStatus({}),
      evict(),
      budgetStatus({
        currentHealthy: 3,
        conditions: [
          {
            type: "DisruptionAllowed",
            status: "False",
            reason: "SyncFailed",
            message: "sad",
            lastTransitionTime: long,
          },
        ],
      }),
      evict(),
      budgetStatus({
        currentHealthy: 3,
        conditions: [
          {
            type: "DisruptionAllowed",
            status: "False",
            reason: "InsufficientPods",
            message: "few",
            lastTransitionTime: long,
          },
        ],
      }),
      evict(),
      budgetStatus({ currentHealthy: 3, conditions: null }),
      evict(),
      budgetStatus({ disruptionsAllowed: 1, currentHealthy: 2 }),
      evict({ deleteOptions: { dryRun: ["All"] } }),
      evict(),
      read(`${budgets}/b`),
      read(one),
    ],
  },
  {
    name: "eviction of an unhealthy pod",
    steps: [
      create(podsPath, pod({ nodeName: "n" }, { labels: { app: "a" } })),
      setStatus({ phase: "Running" }),
      budget("b"),
      budgetStatus({ currentHealthy: 0 }),
      evict(),
      budgetStatus({ currentHealthy: 1 }),
      evict(),
      read(one),
    ],
  },
  {
    name: "eviction with two budgets",
    steps: [
      create(podsPath, pod({ nodeName: "n" }, { labels: { app: "a" } })),
      setStatus(ready),
      budget("b"),
      budget("c"),
      evict(),
    ],
  },
];
