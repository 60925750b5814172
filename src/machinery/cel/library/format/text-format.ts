import { daysInMonth } from "../../value/calendar.ts";

/** Upstream: vendor/k8s.io/kube-openapi/pkg/validation/strfmt. */
export const isUuid = (text: string): boolean =>
  /^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i.test(text);

export const isBase64 = (text: string): boolean =>
  /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=|[A-Za-z\d+/]{4})$/.test(text);

/** A day such as 2006-01-02. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** A day and a time such as 2006-01-02T15:04:05.999Z. */
export function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (text.length < 4 || time === undefined || !isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time);
  if (match === null) return false;
  const [, hour = "", minute = "", second = ""] = match;
  return hour <= "23" && minute <= "59" && second <= "59";
}
