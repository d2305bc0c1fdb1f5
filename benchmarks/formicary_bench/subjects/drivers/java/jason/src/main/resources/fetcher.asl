// Fetches what is asked for.

+!fetch[source(Asker)]
    <-  .send(Asker, achieve, fetched("a line of text that somebody has asked for")).
