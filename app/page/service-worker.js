/**
 * Keeps the files of the page, so that it opens without a network. Answers of the service are never kept.
 *
 * @module service-worker
 */

const KEPT = "minecheck-page-3";
/** Tables of the languages, of which the page names none. */
const TABLES = ["page/languages/de.js", "page/languages/zh.js"];
/** Milliseconds after which a file that was kept is better than waiting for the network. */
const PATIENCE = 4000;

/** What service workers have beside what pages have. @type {any} */
const worker = self;

worker.addEventListener("install", (event) => {
  event.waitUntil(keepPage().then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(forgetOthers().then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && isOfPage(new URL(request.url))) event.respondWith(newest(request));
});

/** Keep the page, and all files that its tabs need, which the page itself names. */
async function keepPage() {
  const page = await fetch("./");
  const named = (await page.clone().text()).matchAll(/"(page\/[^"]+)"/g);
  const files = new Set([...named].map(([, file]) => file));
  const kept = await caches.open(KEPT);
  await Promise.all([kept.put("./", page), kept.addAll([...files, ...TABLES])]);
}

/** Forget what other versions of this file kept. */
async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("minecheck-page-") && name !== KEPT).map((name) => caches.delete(name)));
}

/** Whether an address is that of the page or one of its files. @param {URL} address */
function isOfPage({ origin, pathname }) {
  const address = origin + pathname;
  const { scope } = worker.registration;
  return address === scope || address.startsWith(`${scope}page/`);
}

/** A file from the network, or else as it was kept. @param {Request} request */
async function newest(request) {
  const kept = await caches.open(KEPT);
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(PATIENCE) });
    if (response.ok) await kept.put(request, response.clone());
    return response;
  } catch (error) {
    const known = await kept.match(request, { ignoreSearch: true });
    if (known) return known;
    throw error;
  }
}
