import type { UserInfo as ApiUserInfo } from "#/api/authentication/v1.ts";
import type { UserInfo } from "./exchange.ts";

/** A user as the API describes one. */
export function toApiUser({ name, uid, groups, extra = {} }: UserInfo): ApiUserInfo {
  const copied = Object.entries(extra).map(([key, values]) => [key, [...values]]);
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(copied.length > 0 ? { extra: Object.fromEntries(copied) } : {}),
  };
}

/** A user as a webhook or a review describes one. */
export function fromApiUser({ username = "", uid, groups = [], extra }: ApiUserInfo): UserInfo {
  return { name: username, ...(uid ? { uid } : {}), groups, ...(extra ? { extra } : {}) };
}
