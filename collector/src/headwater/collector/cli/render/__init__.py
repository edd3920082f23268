"""Pages for people: pure functions from an answer (see ``headwater.collector.questions``) to rich renderables."""
