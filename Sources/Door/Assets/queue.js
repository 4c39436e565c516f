// Edits that wait for the door. Each is kept in the browser's own database before it is sent, with the key
// under which the door takes it once, so that neither a closed page nor a lost answer loses or doubles it.

const STORE = "edits";
let opening;

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

function database() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("nearme", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "key" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opening;
}

async function store(mode) {
  return (await database()).transaction(STORE, mode).objectStore(STORE);
}

/// A key no other edit has.
export const newKey = () => crypto.randomUUID?.()
  ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/// What waits, oldest first.
export async function waiting() {
  const all = await done((await store("readonly")).getAll());
  return all.sort((a, b) => a.order - b.order || (a.key < b.key ? -1 : 1));
}

export async function keep(edit) {
  await done((await store("readwrite")).put({ order: Date.now(), notBefore: 0, ...edit }));
}

export async function drop(key) {
  await done((await store("readwrite")).delete(key));
}

/// Takes an edit out before it is sent, and waits until none is being sent; answers whether it was still there.
export async function take(key) {
  return alone(async () => {
    const edits = await store("readwrite");
    const isThere = await done(edits.count(key)) > 0;
    if (isThere) await done(edits.delete(key));
    return isThere;
  });
}

/// Does something while no page sends.
const alone = (work) => navigator.locks ? navigator.locks.request("nearme-flush", work) : work();

/// Drops what is not a person's, and what does not say whose it is; null drops all.
export async function dropAllBut(person) {
  for (const edit of await waiting()) {
    if (person === null || edit.person !== person) await drop(edit.key);
  }
}

/// Sends what waits, one after the other; `send` says "done", "refused", "later" or "held". Only one page does so at
/// a time. An edit that may still be taken back, or that is another person's, does not hold up those behind it.
/// With `withHeld` what may still be taken back is sent, too.
export async function flush(send, { withHeld = false } = {}) {
  const work = async () => {
    let sent = 0;
    for (const edit of await waiting()) {
      if (edit.notBefore > Date.now() && !withHeld) continue;
      const outcome = await send(edit);
      if (outcome === "later") break;
      if (outcome === "held") continue;
      await drop(edit.key);
      sent += 1;
    }
    return sent;
  };
  return alone(work);
}
