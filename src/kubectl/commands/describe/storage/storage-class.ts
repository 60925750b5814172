/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { StorageClass } from "#/api/storage/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { labelLine } from "../parts/description.ts";

const boolText = (value: boolean | undefined): string =>
  value === undefined ? "<unset>" : value ? "True" : "False";

const describeStorageClass: Describer = (to, { object }) => {
  const { metadata, provisioner, parameters, allowVolumeExpansion, mountOptions, ...rest } =
    object as unknown as StorageClass;
  const { annotations } = metadata ?? {};
  const isDefault = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ];
  to.field(0, "Name", metadata?.name ?? "");
  to.field(
    0,
    "IsDefaultClass",
    isDefault.some((key) => annotations?.[key] === "true") ? "Yes" : "No",
  );
  to.field(0, "Annotations", labelLine(annotations));
  to.field(0, "Provisioner", provisioner);
  to.field(0, "Parameters", labelLine(parameters));
  to.field(0, "AllowVolumeExpansion", boolText(allowVolumeExpansion));
  if (mountOptions?.length)
    to.write(0, `MountOptions:\n${mountOptions.map((option) => `  ${option}\n`).join("")}`);
  else to.field(0, "MountOptions", "<none>");
  if (rest.reclaimPolicy) to.field(0, "ReclaimPolicy", rest.reclaimPolicy);
  if (rest.volumeBindingMode) to.field(0, "VolumeBindingMode", rest.volumeBindingMode);
  if (!rest.allowedTopologies?.length) return;
  to.write(0, "AllowedTopologies:\t\n");
  for (const [i, { matchLabelExpressions = [] }] of rest.allowedTopologies.entries()) {
    const lines = matchLabelExpressions.map(
      ({ key, values }) => `${key} in [${(values ?? []).join(", ")}]\n`,
    );
    to.write(1, `Term ${i}:\t${lines.join("  \t") || "<none>\n"}`);
  }
};

export const storageClass: KindDescriber = { describe: describeStorageClass };
