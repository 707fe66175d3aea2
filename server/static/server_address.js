// Tells Streamlit's page where the server is. Without it the page first asks below its own path
// (/repetitions/_stcore/...), which logs two errors in the browser's console and costs a round trip.
// Pages are one level deep.

window.__streamlit = { BACKEND_BASE_URL: new URL("./", location.href).href };
