/**
 * The path and query that a request is for; only its path as text if that is no URL, such as "//". Never throws: requests are
 * hostile.
 */
export function requestTarget(target = "/"): Pick<URL, "pathname" | "search" | "searchParams"> {
  const url = URL.parse(target, "http://server");
  if (url) return url;
  const [pathname = "", ...query] = target.split("?");
  const search = query.length > 0 ? `?${query.join("?")}` : "";
  return { pathname, search, searchParams: new URLSearchParams(search) };
}
