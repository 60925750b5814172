import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolume, Pod } from "#/api/core/v1.ts";
import type { VolumeAttachment } from "#/api/storage/v1.ts";
import { blockedMessages } from "./attachment-events.ts";
import { planAttachments } from "./plan-attachments.ts";

type AccessModes = NonNullable<PersistentVolume["spec"]["accessModes"]>;
const volume = (...accessModes: AccessModes): PersistentVolume => ({
  metadata: { name: "v" },
  spec: { accessModes },
});
const one = volume("ReadWriteOnce");
const many = volume("ReadWriteOnce", "ReadWriteMany");
const attachment = (text: string): VolumeAttachment => {
  const nodeName = text.replace(/[-!]$/, "");
  return {
    metadata: { name: text, ...(text.endsWith("-") ? { deletionTimestamp: "x" } : {}) },
    spec: { attacher: "d", nodeName, source: {} },
  };
};

/**
 * Attachments are named after their nodes: "-" marks those being deleted, "!" those in use by their
 * node.
 */
const cases: [
  volume: PersistentVolume,
  desired: string,
  attachments: string,
  attach: string,
  blocked: string,
  detach: string,
  held: string,
][] = [
  [one, "", "", "", "", "", ""],
  [one, "a", "", "a", "", "", ""],
  [one, "a", "a", "", "", "", ""],
  [one, "a b", "", "a", "b", "", ""],
  [one, "b", "a", "", "b", "a", ""],
  [one, "b", "a-", "", "b", "", ""],
  [one, "b", "a!", "", "b", "", "a!"],
  [many, "a b", "", "a b", "", "", ""],
  [many, "b", "a", "b", "", "a", ""],
  [volume(), "b", "a!", "b", "", "", "a!"],
  [one, "a", "a-", "", "", "", ""],
];

const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");

for (const [of, desired, attachments, attach, blocked, detach, held] of cases) {
  const modes = of.spec.accessModes?.join(",");
  test(`planAttachments() of ${modes} for [${desired}] with [${attachments}]`, () => {
    const plan = planAttachments({
      volume: of,
      desired: words(desired),
      attachments: words(attachments).map(attachment),
      mayDetach: ({ metadata }) => !metadata.name?.endsWith("!"),
    });
    const names = (list: readonly VolumeAttachment[]) => list.map(({ metadata }) => metadata.name);
    assert.deepEqual(
      [plan.attach, plan.blocked, names(plan.detach), names(plan.held)],
      [words(attach), words(blocked), words(detach), words(held)],
    );
  });
}

const pod = (key: string): Pod => {
  const [namespace = "", name = ""] = key.split("/");
  return { metadata: { namespace, name }, spec: { containers: [] } };
};

for (const [others, why] of [
  [
    [],
    "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node",
  ],
  [["n/p", "n/q"], "Volume is already used by pod(s) p, q"],
  [["n/p", "m/q"], "Volume is already used by pod(s) p and 1 pod(s) in different namespaces"],
  [["m/p", "m/q"], "Volume is already used by 2 pod(s) in different namespaces"],
] as const) {
  test(`blockedMessages() with [${others}] names those of the same namespace`, () => {
    const [message] = blockedMessages(one, [pod("n/w")], others.map(pod));
    assert.equal(message?.[1], `Waiting for detach for volume "v" ${why}`);
  });
}
