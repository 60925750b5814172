/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { ConfigMap } from "#/api/core/v1.ts";
import { byteLength, sorted } from "../parts/data-entries.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";

const describeConfigMap: Describer = (to, { object }) => {
  const { data, binaryData } = object as unknown as ConfigMap;
  to.head(object.metadata);
  to.write(0, "\nData\n====\n");
  for (const [key, value] of sorted(data)) to.write(0, `${key}:\n----\n${value}\n\n`);
  to.write(0, "\nBinaryData\n====\n");
  for (const [key, value] of sorted(binaryData))
    to.write(0, `${key}: ${byteLength(value)} bytes\n`);
  to.write(0, "\n");
};

export const configMap: KindDescriber = { describe: describeConfigMap };
