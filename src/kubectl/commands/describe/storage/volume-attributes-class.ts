/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { VolumeAttributesClass } from "#/api/storage/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { labelLine } from "../parts/description.ts";

const describeVolumeAttributesClass: Describer = (to, { object }) => {
  const { metadata, driverName, parameters } = object as unknown as VolumeAttributesClass;
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Annotations", labelLine(metadata?.annotations));
  to.field(0, "DriverName", driverName);
  to.field(0, "Parameters", labelLine(parameters));
};

export const volumeAttributesClass: KindDescriber = { describe: describeVolumeAttributesClass };
