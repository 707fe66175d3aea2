"""Results as sentences and tables: what pages and the report both say. No streamlit."""
