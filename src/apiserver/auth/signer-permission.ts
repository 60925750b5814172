import { type Authorizer, noAttributes } from "../model/authorizer.ts";
import type { UserInfo } from "../model/exchange.ts";

/**
 * Whether a user may do something (approve, sign, attest) for a signer, or for all signers of its domain.
 * Upstream: pkg/certauthorization/certauthorization.go.
 */
export async function mayActForSigner(
  authorizer: Authorizer,
  user: UserInfo,
  verb: string,
  signerName: string,
): Promise<boolean> {
  const domain = signerName.split("/")[0] ?? "";
  for (const name of [signerName, `${domain}/*`]) {
    const { decision, error } = await authorizer.authorize({
      ...noAttributes,
      user,
      verb,
      name,
      apiGroup: "certificates.k8s.io",
      apiVersion: "*",
      resource: "signers",
    });
    if (decision === "allow" && !error) return true;
  }
  return false;
}
