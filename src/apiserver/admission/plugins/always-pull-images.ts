import { type Container, type PodSpec, pods } from "#/api/core/v1.ts";
import { formatFieldError, JsonValue, notSupported } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { statusWithoutReason } from "#/machinery/meta/status-error.ts";
import { visitContainers } from "../../resources/core/pod-spec/base/visit-containers.ts";
import { type Admitted, admissionPlugin } from "../base/admission-plugin.ts";
import { forbid, joinMessages } from "../base/forbid.ts";

type Request = Admitted<NonNullable<typeof pods.of>>;

/**
 * Makes every container pull its image, so that a pod cannot reuse one it may not read.
 * Upstream: plugin/pkg/admission/alwayspullimages/admission.go.
 */
export const alwaysPullImages = admissionPlugin({
  name: "AlwaysPullImages",
  offByDefault: true,
  on: pods,
  operations: ["CREATE", "UPDATE"],
  mutate(attributes) {
    if (keepsImages(attributes)) return;
    const { spec } = attributes.object;
    for (const container of containersOf(spec)) container.imagePullPolicy = "Always";
    for (const { image } of spec.volumes ?? []) if (image) image.pullPolicy = "Always";
  },
  validate(attributes) {
    if (keepsImages(attributes)) return;
    const messages = wrongPolicies(attributes.object.spec).map(
      (message) => forbid(attributes, message).message,
    );
    if (messages.length > 0) throw statusWithoutReason(joinMessages(messages));
  },
});

function* containersOf(spec: PodSpec): Generator<Container> {
  yield* spec.initContainers ?? [];
  yield* spec.containers;
  yield* (spec.ephemeralContainers ?? []) as Container[];
}

/** An update without new images is not checked. */
function keepsImages({ operation, object, oldObject }: Request): boolean {
  if (operation !== "UPDATE" || !oldObject) return false;
  const known = new Set(Array.from(containersOf(oldObject.spec), ({ image }) => image));
  return [...containersOf(object.spec)].every(({ image }) => known.has(image));
}

function wrongPolicies(spec: PodSpec): string[] {
  const messages: string[] = [];
  visitContainers(spec, fieldPath("spec"), (container, path) => {
    const { imagePullPolicy = "" } = container;
    if (imagePullPolicy === "Always") return;
    const error = notSupported(path.child("imagePullPolicy"), new JsonValue(imagePullPolicy), [
      "Always",
    ]);
    messages.push(formatFieldError(error));
  });
  spec.volumes?.forEach(({ image }, index) => {
    if (!image || image.pullPolicy === "Always") return;
    const path = fieldPath("spec", "volumes").index(index).child("image").child("pullPolicy");
    messages.push(
      formatFieldError(notSupported(path, new JsonValue(image.pullPolicy ?? ""), ["Always"])),
    );
  });
  return messages;
}
