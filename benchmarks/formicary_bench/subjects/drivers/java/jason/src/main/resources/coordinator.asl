// Has one agent fetch something and another one print it, and tells the client that it is done.

+!serve[source(Client)]
    <-  -+client(Client);
        .send(fetcher, achieve, fetch).

+!fetched(Data)
    <-  .send(printer, achieve, print(Data)).

+!printed : client(Client)
    <-  .send(Client, achieve, done).
