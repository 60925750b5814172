import type { Notes } from "../../model/token-services.ts";
import { goQuoteList } from "../base/covers.ts";
import type { StandardClaims } from "./claims.ts";

/**
 * The requested audiences that a token is valid for; throws if there are none. A token without audiences is for this
 * server.
 *
 * Upstream: pkg/serviceaccount/jwt.go.
 */
export function matchAudiences(
  { audiences, subject }: StandardClaims,
  { wanted, own }: { readonly wanted: readonly string[]; readonly own: readonly string[] },
  { annotations }: Notes,
): string[] {
  if (audiences.length === 0) annotations.set("authentication.k8s.io/legacy-token", subject);
  const named = audiences.length > 0 ? audiences : own;
  const target = wanted.length > 0 ? wanted : own;
  const common = named.filter((audience) => target.includes(audience));
  if (common.length > 0 || own.length === 0) return common;
  throw new Error(
    `token audiences ${goQuoteList(named)} is invalid for the target audiences ${goQuoteList(target)}`,
  );
}
