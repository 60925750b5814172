/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { ServiceAccount } from "#/api/core/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";

const describeServiceAccount: Describer = (to, { object }) => {
  const { imagePullSecrets = [] } = object as unknown as ServiceAccount;
  to.head(object.metadata);
  const header = "Image pull secrets:";
  if (imagePullSecrets.length === 0) to.write(0, `${header}\t<none>\n`);
  for (const [i, { name = "" }] of imagePullSecrets.entries()) {
    to.write(0, `${i === 0 ? header : " ".repeat(header.length)}\t${name}\n`);
  }
};

export const serviceAccount: KindDescriber = { describe: describeServiceAccount };
