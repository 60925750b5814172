import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from "#/api/certificates/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

export const certificateRequest = cause<CertificateSigningRequest>({
  name: "certificate-request-pending",
  layer: "authentication",
  of: [certificateSigningRequests],
  find({ spec, status, metadata }) {
    const { conditions = [], certificate } = status ?? {};
    if (certificate) return undefined;
    const bad = conditions.find(({ type }) => type === "Denied" || type === "Failed");
    if (bad) {
      return {
        sentence: `it is ${bad.type.toLowerCase()} (${bad.reason ?? ""}): ${oneLine(bad.message ?? "", 160)}`,
        since: bad.lastTransitionTime,
      };
    }
    if (conditions.some(({ type }) => type === "Approved")) {
      return {
        sentence: `it is approved, but the signer "${spec.signerName}" has not issued a certificate`,
        certainty: "likely",
        since: metadata.creationTimestamp,
        fix: ["# does the program that serves this signerName run?"],
      };
    }
    return {
      sentence: `it waits for approval (signer "${spec.signerName}", of user ${spec.username})`,
      since: metadata.creationTimestamp,
      fix: [`kubectl certificate approve ${metadata.name}`],
    };
  },
});
