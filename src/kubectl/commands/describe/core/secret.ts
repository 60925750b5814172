/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { Secret } from "#/api/core/v1.ts";
import { byteLength, sorted } from "../parts/data-entries.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";

const describeSecret: Describer = (to, { object }) => {
  const { type = "", data } = object as unknown as Secret;
  to.head(object.metadata);
  to.write(0, `\nType:\t${type}\n`);
  to.write(0, "\nData\n====\n");
  for (const [key, value] of sorted(data)) {
    const isToken = key === "token" && type === "kubernetes.io/service-account-token";
    to.field(
      0,
      key,
      isToken ? Buffer.from(value, "base64").toString() : `${byteLength(value)} bytes`,
    );
  }
};

export const secret: KindDescriber = { describe: describeSecret, events: "none" };
